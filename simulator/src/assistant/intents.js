// What people say when they want a tool. A pattern's named groups are parameters of the tool; the other parameters are
// read by their schemas. The first tool that the client declared and a pattern fits is meant.

import { fitOf } from './pattern.js'

const RECORD = String.raw`(?<id>(?:person|project|process|link|doc):[\w-]*\w)`
const INSULT = String.raw`(?:idiots?|morons?|imbecile|asshole|bastard|bitch|dumbass|scum|piece of (?:shit|crap)|son of a bitch)`
const MEETING = String.raw`(?:meeting|call|appointment|review|session|lunch|dinner|breakfast|coffee|workshop|interview|demo|kick-?off|sync|stand-?up|retro(?:spective)?|chat|catch-?up|check-?in|one-on-one|1:1|event|critique|training|briefing|presentation|talk)`

/** What a question by a name asks for: it is taken for a project or a person. */
const NAME = /^\p{Lu}[\p{L}\d-]*(?: \p{Lu}[\p{L}\d-]*){0,3}$/u
const TELL_OF_ONE = /^tell me (?:more )?about [\p{L}-]+$/iu
/** What a studio writes down. */
const STUDIO =
  /\b(?:we|our|us|studio|polic(?:y|ies)|process(?:es)?|procedures?|guides?|guidelines?|handbook|manual|rules?|projects?|teams?|colleagues?|documents?|docs?|templates?|checklists?|brand|clients?|customers?|invoices?|expenses?|onboard(?:ing)?|vacation|holidays|leave|contracts?|release|approve|approved|approvals?|responsible)\b/i
/** What no studio writes down. */
const WORLD =
  /\b(?:weather|forecast|temperature|rain|sunny|flights?|trains?|hotels?|restaurants?|pizza|taxi|phone numbers?|jokes?|songs?|music|movies?|stock price|exchange rate|news|tickets?|prices?|inbox|my (?:e-?)?mails?|my messages)\b/i

/** What a prompt does not decide. */
const FILE =
  /\b(?:\d+k|\d+ ?x ?\d+|resolution|pixels?|transparent|png|jpe?g|svg|the (?:last|previous|same) (?:one|image|picture))\b/i
const CURRENCIES = [/€|\beuros?\b|\beur\b/i, /\$|\bdollars?\b|\busd\b/i, /£|\bpounds?\b|\bgbp\b/i]

/**
 * @typedef {object} Intent
 * @property {string} tool
 * @property {RegExp[]} patterns
 * @property {Record<string, string>} [given] parameters that the utterance need not name
 * @property {boolean} [isRest] it takes what no other intent has a part in
 * @property {(captured: Record<string, string>, request: string) => boolean} [isAbout] whether what was captured is a matter of the tool
 */

/** @param {'on' | 'off'} how */
function lightsTurned(how) {
  return new RegExp(String.raw`^(?:turn|switch) (?:${how}\b.*\blights?\b|.*\blights?\b.*\b${how}$)`, 'i')
}

/** @type {Intent[]} */
export const INTENTS = [
  {
    tool: 'ignore_user',
    given: { duration_seconds: '60', farewell_message: 'I will be back in a minute.' },
    patterns: [
      /\bignore me\b/i,
      new RegExp(String.raw`\b(?:you|you're|you are|ur)\b[^.!?]{0,30}\b${INSULT}\b`, 'i'),
      /\b(?:fuck|screw) (?:you|off)\b/i,
    ],
  },
  {
    tool: 'end_voice_session',
    given: { reason: 'user_requested', final_message: 'Goodbye.' },
    patterns: [
      /^(?:stop|quit|exit|good ?bye|bye|hang up|see you)\b/i,
      /\bend (?:the |this |our )?(?:voice )?(?:call|session|conversation)\b/i,
      /\b(?:good)?bye(?: bye)?$/i,
      /\b(?:go|switch|continue) (?:back )?(?:to|in) (?:text|writing)\b/i,
    ],
  },
  {
    tool: 'lights_set',
    patterns: [
      /^(?:dim|set|put|turn|switch|bring)\b.*\blights?\b.*\b(?:to|at) (?<brightness>\d{1,3})(?: ?%| percent)?$/i,
    ],
  },
  { tool: 'lights_set', given: { brightness: '0' }, patterns: [lightsTurned('off')] },
  { tool: 'lights_set', given: { brightness: '100' }, patterns: [lightsTurned('on')] },
  {
    tool: 'lights_list',
    patterns: [
      /^(?:which|what) lights? (?:are|is) (?:still )?on$/i,
      /^(?:are|is) (?:the |any )?lights? (?:still )?on$/i,
      /^(?:show|list|check) (?:me )?(?:the |all (?:the )?)?lights?$/i,
    ],
  },
  {
    tool: 'start_voice_session',
    patterns: [
      /\b(?:let'?s|can we|could we|i want to|i'd like to) (?:talk|speak)\b(?: (?:about|through) (?<pending_request>.+))?/i,
      /\b(?:start|open|begin) (?:a |the )?(?:voice|call\b|phone)/i,
      /\b(?:switch|change|move) to (?:voice|speech|a call|talking)\b/i,
      /^(?:call me|talk to me|speak (?:with|to) me)\b/i,
    ],
  },
  {
    tool: 'reg_describe',
    patterns: [
      /\b(?:how (?:do|can|does|would) .*|explain|describe|what (?:is|does)|documentation (?:of|for)|guide (?:of|for|to)|tell me about)(?: the)?(?: tool)? `?(?<tool_id>[a-z]+_[a-z_]+)`?/i,
    ],
  },
  {
    tool: 'reg_search',
    patterns: [
      /\b(?:which|what) tools?\b.*?\b(?:for|to|that|can)\b (?<query>.+)/i,
      /\b(?:is there|have you|do you have|do we have|find(?: me)?) (?:a |any |the )?tools?\b.*?\b(?:for|to|that|can|which)\b (?<query>.+)/i,
    ],
  },
  {
    tool: 'rank_results',
    patterns: [/^(?:rank|sort|order)\b.*?\b(?<results>[a-z]+:\w.*)/i],
  },
  {
    tool: 'linkedin_lookup',
    isAbout: ({ person = '' }) => !/,|\band\b/i.test(person),
    patterns: [
      /\b(?:find|look up|search for|search|show me|open)\s+(?<person>.+?) (?:on|in) linked ?in\b/i,
      /\blinked ?in\b.*?\b(?:of|for)\s+(?<person>.+)/i,
      /\b(?:what is|what's|find|get|show me|look up|give me|open|do you have)\s+(?<person>.+?)(?:'s|s')? linked ?in\b/i,
      /\b(?:is|does)\s+(?<person>.+?)\s+(?:on|have (?:a |an )?(?:profile on )?)\s*linked ?in\b/i,
      /^(?<person>.+?)(?:'s|s') linked ?in\b/i,
    ],
  },
  {
    tool: 'kb_get',
    patterns: [
      new RegExp(
        String.raw`\b(?:open|show|read|load|get|tell me (?:more )?about|more about|details (?:of|on)|display|see)\b.*?${RECORD}`,
        'i',
      ),
      new RegExp(`^${RECORD}$`, 'i'),
    ],
  },
  {
    tool: 'extract_contacts',
    patterns: [
      /\b(?:contacts?(?: details| data| information)?|addresses|phone numbers?|people)\b(?: are| is)?(?: out)?(?: of| in| from)?(?: (?:this|the following|that|the|my)(?: text| e-?mail| signature| note| notes)?)?\s*[:\n]\s*(?<text>[^]+)/i,
      /\b(?:extract|find|list|get|pull)\b.*?\bcontacts?(?: details)?(?: out of| of| in| from)+ (?<text>[^]+)/i,
      /\bwho (?:can|do|should) (?:i|we) (?:reach|contact|call|write to)\b[^:]*:\s*(?<text>[^]+)/i,
      /\b(?:signature|business card|footer)\b[^:]*:\s*(?<text>[^]+)/i,
    ],
  },
  {
    tool: 'extract_action_items',
    patterns: [
      /\b(?:action items|action points|to-?do(?:s| list| items)?|tasks?(?: list)?|next steps|homework)\b[^:]*?:\s*(?<text>[^]+)/i,
      /\b(?:what|who) (?:do i|do we|does who|must|has to|have to|needs to|should)\b[^:]*\b(?:notes?|minutes|transcript|text|e-?mail|message|meeting)\b[^:]*:\s*(?<text>[^]+)/i,
      /\b(?:action items|action points|to-?do(?:s| list)?|tasks)\b (?:of|in|from) (?<text>.{20,})/i,
    ],
  },
  {
    tool: 'generate_summary_preview',
    patterns: [
      /\b(?:summari[sz]e|summary|sum up|shorten|condense|tl;?dr|boil down|in short|gist)\b(?:[^:]*?\b(?<max_sentences>\d+|one|two|three|four|five) sentences?\b)?[^:]*:\s*(?<text>[^]+)/i,
      /^(?:summari[sz]e|sum up|shorten|condense) (?:this )?(?<text>(?!(?:our|the|my|your)\b).{60,})$/i,
    ],
  },
  {
    tool: 'create_chart',
    given: { x: 'label', y: 'value' },
    patterns: [
      /^(?:show|draw|display|plot|put|visuali[sz]e)(?: me)? (?:(?<title>[^:\d,=]{3,80}?)(?: of |: ?| with | for ))?(?<data>.*\d.*?) (?:as|in|into) (?:an? )?(?<type>bar|line|pie|area)s?(?: (?:chart|graph|plot|diagram))?$/i,
      /\b(?:chart|graph|plot|diagram)\b.*?\b(?:titled|called|named|headed) ["“]?(?<title>[^"”:,]+?)["”]?(?: with| of| for|:|,)+\s*(?<data>.*\d.*)/i,
      /\b(?:plot|draw|chart|graph|visuali[sz]e)\b(?: (?:me|an?|the|my|our))? (?<title>(?:(?!\b(?:chart|graph|plot|diagram)\b)[^:\d]){3,80}):\s*(?<data>.*\d.*)/i,
      /\b(?:chart|graph|plot|diagram)\b(?: please)?(?: (?:of|for|showing|with|about))? (?:(?:our|the|my|these|this)\s+)?(?<title>[^:\d,=]{3,80}):\s*(?<data>.*\d.*)/i,
      /\b(?:chart|graph|plot|diagram)\b(?: please)?[:,]?(?: (?:of|for|from|showing|with))?:?\s*(?<data>.*\d.*)/i,
      /\b(?:chart|graph|diagram)\b/i,
    ],
  },
  {
    tool: 'image_draft_prompt',
    patterns: [
      /\b(?:(?<count>\d|one|two|three|four) )?(?:image |picture )?prompts?(?: ideas?)? (?:for|of|about|showing|with) (?<idea>.+)/i,
      /\bprompts?\b.*?\b(?:for|of|about) (?<idea>.+)/i,
    ],
  },
  {
    tool: 'image_generate',
    isAbout: ({ prompt = '' }) => !FILE.test(prompt),
    patterns: [
      /\b(?:image|picture|painting|illustration|photo|drawing|poster|sketch)\b (?:of|for|showing|with|that shows) (?<prompt>.+)/i,
      /^(?:paint|draw|sketch|illustrate) (?:me |us )?(?<prompt>(?!.*\b(?:charts?|graphs?|plots?|diagrams?|histogram|tables?|bars|numbers)\b).+)/i,
      /^(?:generate|create|make) (?:me |us )?(?:an? |the )?(?:image|picture|painting|illustration)\b(?::\s*(?<prompt>.+))?/i,
    ],
  },
  {
    tool: 'calculate_roi',
    isAbout: (_captured, request) => CURRENCIES.filter(currency => currency.test(request)).length < 2,
    patterns: [
      /\b(?:gain(?:ed|s)?|got|earned|made|received) (?:of |back )?\p{Sc}?(?<gains>\d[\d.,]*\d[km]?)\b.*?\b(?:invested|investing|investment|invest|put in|spending|spent|from|cost|paid)\b.*?(?<investment>\d[\d.,]*\d[km]?)\b/iu,
      /\broi\b|\breturn on (?:the |my |our |this |an )?investment\b/i,
      /\binvest(?:ed|ing)?\b.*\breturn\b/i,
      /\bwhat(?: is|'s) (?:my|our|the) return\b/i,
      /\b(?:calculate|compute|work out) (?:my |our |the )?returns?\b/i,
    ],
  },
  {
    tool: 'validate_email',
    patterns: [
      /^(?:is|are|does|do|check|validate|verify|test)\b.*?(?<email>[^\s<>:]*@[^\s,;<>]*[^\s,;<>?!.])/i,
      /\b(?:valid|correct|real|well-formed|right|ok|okay)\b.*?(?<email>[^\s<>:]+@[^\s,;<>]*[^\s,;<>?!.])/i,
      /\b(?:check|validate|verify) (?:an?|the|my|this) e-?mail(?: address)?\b/i,
    ],
  },
  {
    tool: 'draft_follow_up_email',
    patterns: [
      /\b(?:draft|write|compose|prepare|send)\b.*?\b(?:e-?mail|mail|message|note|follow-?up)\b to (?<recipient>(?:mr|mrs|ms|dr)\.? [\p{L}-]+|[\p{L}-]+(?: (?!about|that|saying|for|on|regarding|telling)[\p{Lu}][\p{L}-]+)?)(?:[,:]? (?:about|that|saying|for|regarding|telling (?:her|him|them)|and (?:say|tell (?:her|him|them)))(?: that)? (?<facts>.+))?/iu,
      /^(?:e-?mail|write|message|thank) (?:to )?(?<recipient>(?!an?\b|the\b|me\b)[\p{L}-]+)(?:,? (?:about|that|saying|for|regarding))(?: that)? (?<facts>.+)/iu,
      /\b(?:draft|write|compose)\b.*?\b(?:e-?mail|mail)\b/i,
    ],
  },
  {
    tool: 'generate_proposal_draft',
    patterns: [
      /\b(?:proposal|offer|quote|pitch)\b (?:for|to) (?<client>.+?)(?:[,:;]? (?:about|on|regarding|who need|which needs?|they need|they want|because they need|for|to build)|:\s*) ?(?<need>.+)/i,
      /\b(?:proposal|pitch)\b(?: (?:for|to) (?<client>.+))?/i,
      /\b(?:draft|write|prepare|make) (?:an? |the )?(?:offer|quote)\b(?: (?:for|to) (?<client>.+))?/i,
    ],
  },
  {
    tool: 'capture_screen_snapshot',
    patterns: [/\b(?:my|the|this) (?:screen|desktop|monitor|window)\b/i, /\bscreen ?shot\b/i],
  },
  {
    tool: 'capture_webcam_snapshot',
    patterns: [
      /\b(?:camera|webcam)\b/i,
      /\bwhat (?:do|can) you see\b/i,
      /\b(?:can you see|see|look at) (?:me|this|what i)\b/i,
      /\bhow do i look\b/i,
      /\bwhat am i (?:holding|wearing)\b/i,
    ],
  },
  {
    tool: 'search_web',
    patterns: [
      /\b(?:search|look|browse|check)(?: on| in| through)? the (?:web|internet|net)(?: for| about)? (?<query>.+)/i,
      /\b(?:search|look|find)(?: for| up| out)?(?: about)? (?<query>.+?) (?:on the (?:web|internet|net)|online)$/i,
      /^(?:google|web search|search online)(?: for)?:? (?<query>.+)/i,
      /^(?:what|any) (?:is |are )?(?:the )?(?:latest |recent )?news (?:about|on|from) (?<query>.+)/i,
    ],
  },
  {
    tool: 'get_dashboard_stats',
    patterns: [
      /\b(?:dashboard|statistics|stats|metrics|usage figures)\b/i,
      /\bhow many (?:tool )?(?:calls|errors)\b/i,
      /\bhow (?:are|is|often are) (?:the |your )?(?:tools?|gate|server) (?:being )?used\b/i,
    ],
  },
  {
    tool: 'format_datetime',
    patterns: [
      /^(?:the )?(?:current )?(?:local )?time in [A-Z]/i,
      /\b[Ww]hat time is (?:it|\d)|\b[Ww]hat(?:'s| is) the (?:current )?time\b|\b[Ww]hat time\b.*\bin [A-Z]/,
      /^(?:convert|format|translate)\b.*\d/i,
      /^[Ww]hat(?:'s| is) .*\b\d{1,2}(?::\d\d)? ?(?:[ap]m|o'clock)?\b.* in [A-Z]/,
      /^[Ww]hen is .*\d.* in [A-Z]/,
    ],
  },
  {
    tool: 'create_calendar_widget',
    patterns: [
      /\b(?:find|offer|pick|suggest|choose|propose|show|give me|let me (?:pick|choose))\b.*?\b(?:times?|slots?|dates?)\b(?:.*? for (?:an? |the |our )?(?<title>.+))?/i,
      /\bwhen (?:could|can|shall|should) (?:we|i) (?:do|have|meet for|hold) (?:an? |the |our )?(?<title>.+)/i,
    ],
  },
  {
    tool: 'calendar_get_availability',
    patterns: [
      /\b(?:am i|are we|is the team|when am i|when are we|what is my|what's my) (?:busy|free|available|availability|booked)\b/i,
      /\b(?:check|show|open|see|read|what's (?:on|in)|what is (?:on|in))(?: me)? (?:my |the |our )?(?:team |personal )?(?:calendar|availability|schedule|agenda|diary)\b/i,
      /\b(?:whether|if) (?:i'm|i am|we're|we are) (?:busy|free|available|booked)\b/i,
      /\b(?:is there|are there|do i have|have i)(?: an?| any| some)? (?:free|open) (?:times?|slots?|gaps?)\b/i,
      /\b(?:do|have) (?:i|we) (?:have )?(?:got )?(?:any )?(?:time|anything|meetings?|appointments?|something)\b/i,
      /\bwhat (?:does|do) (?:my|our) (?:day|week|calendar|schedule|agenda|morning|afternoon)\b/i,
      /\bwhat(?:'s| is) (?:on|planned|my (?:schedule|day|agenda))\b/i,
    ],
  },
  {
    tool: 'calendar_create_event',
    patterns: [
      /\b(?:schedule|arrange|set ?up|plan|organi[sz]e|book|put|add|create|make|reserve)\b(?: in)?(?: (?:an?|the) (?:event|meeting|appointment))?(?: (?:called|titled|named))? ["“](?<title>[^"”]+)["”]/i,
      new RegExp(
        String.raw`\b(?:schedule|arrange|set ?up|plan|organi[sz]e|book|put|add|create|make|have|need|want|like)\b (?:an? |the |our |another )?(?<title>(?:[\p{L}\p{N}'&-]+ ){0,4}?${MEETING}\b)`,
        'iu',
      ),
      new RegExp(String.raw`\b(?:invite)\b.*?@.*? (?:to|for) (?:an? |the |our )?(?<title>[\p{L} -]+)`, 'iu'),
      /\b(?:meet|invite|meeting with)\b.*@/i,
      /^(?:schedule|arrange|plan|set ?up|put)\b (?:an? |the )?(?<title>.+)/i,
      /^(?:book|reserve)\b.*@/i,
    ],
  },
  {
    tool: 'kb_search',
    patterns: [
      /^(?:search|look|check)(?: in| through)? (?:the |our )?(?:knowledge base|kb|studio)(?: for)?:? (?<query>.+)/i,
      /^(?:search|look)(?: for| up)? (?<query>.+?) in (?:the |our )?(?:knowledge base|kb)$/i,
      /^who (?:knows about|knows|can help (?:me )?with|should i ask about|do i ask about|is responsible for|is in charge of|works on|runs|leads)\s+(?<query>.+)/i,
      /^(?:do (?:we|you) have|is there|are there)(?: an?| any)? (?:anything|something|documents?|information|polic(?:y|ies)|rules?|guides?|guidelines?|process(?:es)?) (?:on|about|for) (?<query>.+)/i,
      /^what do (?:we|you) know about (?:our |the |your )?(?<query>.+)/i,
    ],
  },
  {
    tool: 'kb_search',
    isRest: true,
    isAbout: ({ query = '' }, request) => /\bour\b/i.test(request) || !WORLD.test(query),
    patterns: [
      /^(?:find me|find|search for|search|look up|look for|where (?:do|can) (?:i|we) find|i need help with)\s+(?:our |the |your )?(?<query>.+)/i,
      /^what(?:'s| is| are) (?:our |the |your )?(?:policy|process|procedure|rule|rules|guidelines?) (?:for|on|about) (?<query>.+)/i,
      /^(?:find |show me |search for )?(?:documents?|records?|information) (?:about|on|for) (?<query>.+)/i,
    ],
  },
  {
    tool: 'kb_search',
    isRest: true,
    isAbout: ({ query = '' }, request) =>
      !WORLD.test(query) &&
      (TELL_OF_ONE.test(request) || STUDIO.test(request) || (NAME.test(query) && !/^where is \S+$/i.test(request))),
    patterns: [
      /\b(?:summari[sz]e|summary of|sum up|overview of|explain|describe|show me|read me|what does)(?: to me| me)? (?:(?:our|your|the|how) )*(?<query>.+)/i,
      /^(?:what(?:'s| is| are)|who is|where (?:is|are)|tell me (?:more )?about|how (?:do|can|does|should) (?:we|i|one)|i want to know (?:more )?about|(?:which|what) (?:projects?|process(?:es)?|documents?|people|person|teams?|colleagues?|guidelines?|rules?|polic(?:y|ies))) (?:(?:our|your|the) )?(?<query>.+)/i,
      /^(?<query>(?:vacation|expense|travel|onboarding|invoice|leave|security|privacy|brand)[\w ]* (?:policy|process|guide|guidelines|rules))/i,
    ],
  },
]

/** A booking of something that is no event of a calendar. */
export const OTHER_BOOKING = /^(?:book|reserve|schedule)\b (?:me )?(?<what>.+)/i

/** What the tools cannot do with an event. */
export const OTHER_CHANGE =
  /^(?:cancel|delete|remove|move|postpone|reschedule|shift|change)\b.*\b(?:meeting|call|appointment|event|review|lunch|workshop|interview)\b/i

const POLITE_START =
  /^(?:(?:hey|hi|hello|ok|okay|so|well|now|and|then|please|kindly|toolgate)[,!]?\s+|(?:can|could|would|will) you (?:please |kindly )?|i(?:'d| would) like (?:you )?to |i want (?:you )?to |i want |i need (?:you )?to |help me (?:to )?|let'?s (?!talk|speak))+/i
const POLITE_END = /(?:[\s,]*(?:please|thanks|thank you|for me))?[\s.!?]*$/i

/** The utterance without politeness. @param {string} text */
export function plainRequest(text) {
  const trimmed = text.trim().replace(POLITE_END, '')
  return trimmed.replace(POLITE_START, '') || trimmed
}

/**
 * @param {string} request
 * @returns {Generator<{ intent: Intent, fit: import('./pattern.js').Fit }>} the tools that fit, the most special one first
 */
export function* intentsOf(request) {
  let isTaken = false
  for (const intent of INTENTS) {
    if (intent.isRest && isTaken) continue
    for (const pattern of intent.patterns) {
      const fit = fitOf(pattern, request)
      if (fit === null) continue
      isTaken ||= !intent.isRest
      yield { intent, fit }
    }
  }
}
