// Whether a request was understood in all its parts: each word must be read by the intent, be part of an argument, or
// carry no meaning of its own. What is left over was asked for too, and no call would do it.

/**
 * @import { Span } from './pattern.js'
 */

const FILLER = new Set(
  `a an the my our your me us i i'd i'm we we'd we're you it's its is are was be do does did can could would will shall
   should may might let let's want wants need needs like please pls kindly thanks thank hi hello hey ok okay so well
   just simply quickly quick short at on in for to of with from by about into out up as and then now right there here
   this that these those it them some any have has get got give make made good great sure maybe also too toolgate
   following below above all such something one`.split(/\s+/),
)
/** A word, or a sign that a number has of its own. */
const TOKEN = /[\p{L}\p{N}@][\p{L}\p{N}@'’_.-]*|[%°€$£¥#&+=*^<>]|(?<=\s)[-−](?=\d)/gu

/** What changes a request and is no part of a name or a topic. */
const LIMITS =
  /\b(?:every|each|daily|weekly|bi-?weekly|fortnightly|monthly|quarterly|yearly|annually|weekdays|recurring|repeat(?:s|ed|edly|ing)?|(?:mon|tues|wednes|thurs|fri|satur|sun)days|unless|if|except|without|no|not|neither|nor|never|instead|otherwise|until|whenever|before|after|than|or|but)\b|n['’]t\b/i

const DEED = String.raw`(?:book|schedule|arrange|plan|invite|draw|plot|chart|make|create|generate|paint|write|draft|compose|send|mail|e-?mail|tell|show|give|find|search|look|google|check|validate|verify|convert|translate|summari[sz]e|extract|list|open|start|stop|play|call|order|buy|pay|remind|set|turn|add|put|save|store|delete|remove|cancel|move|change|compare|explain|describe|rank|sort|calculate|print|share|post|upload|download|read|ask|answer|reply|ignore|switch|wake|notify|attach|copy|include|cc|update|edit|use|keep|fix|finish|wait)`
const QUESTION = String.raw`(?:what|what's|how|why|when|where|who|which|is|are|am|do|does|did|can|could|will|would|should)`
/** A second request in one sentence. */
const SECOND = new RegExp(
  String.raw`(?:\b(?:and|then|plus|also)|[,;.?!&])\s+(?:(?:and|then|also|afterwards|please|finally|next)\s+)*(?:(?:could|can|would|will) you |please |i (?:want|need|would like) )?(?:${DEED}|${QUESTION})\b|\band (?:an? |the |another )?(?:(?:bar|pie|line|area) )?(?:chart|graph|image|picture|e-?mail|proposal|summary|meeting|event)\b`,
  'i',
)

/** Whether a name or a topic is one thing without further conditions. @param {string} words */
export const isOneTopic = words => !LIMITS.test(words) && !SECOND.test(words)

/** Whether a text has a second request. @param {string} words */
export const hasSecond = words => SECOND.test(words)

/**
 * The words that nothing accounts for.
 *
 * @param {string} request
 * @param {Span[]} open what the pattern did not read
 * @param {Span[]} taken by arguments
 * @param {Set<string> | undefined} ownWords of the intent
 * @returns {string[]}
 */
export function leftOver(request, open, taken, ownWords) {
  const isOpen = new Uint8Array(request.length)
  for (const [from, to] of open) isOpen.fill(1, from, to)
  for (const [from, to] of taken) isOpen.fill(0, from, to)
  const words = [...request.matchAll(TOKEN)].map(({ 0: word, index }) => ({
    word: word.replace(/[.'’_-]+$/, ''),
    index,
  }))
  return words
    .filter(({ word, index }) => isOpen.subarray(index, index + word.length).includes(1))
    .map(({ word }) => word.toLowerCase().replaceAll('’', "'"))
    .filter(word => !FILLER.has(word) && ownWords?.has(word) !== true)
}
