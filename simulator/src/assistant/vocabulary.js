// Words that may stand beside those of an intent's patterns and say nothing that its tool would not do.

/** @param {string} text */
const words = text => new Set(text.split(/\s+/))

/** By tool. @type {Record<string, Set<string>>} */
export const VOCABULARY = {
  ignore_user: words('shut stupid fucking bloody damn total complete absolute such bunch'),
  end_voice_session: words(
    'all today everything enough talking done session conversation later soon text chat voice writing',
  ),
  start_voice_session: words('session call conversation chat voice rather talk speak aloud instead'),
  reg_describe: words('use work works tool tools called'),
  reg_search: words('tool tools'),
  lights_set: words('dim set put turn switch bring light lights off down up brightness'),
  lights_list: words('light lights'),
  rank_results: words('records results score scores'),
  linkedin_lookup: words("linkedin profile page link look find show what what's open"),
  kb_get: words('record details entry more full whole text page document'),
  kb_search: words('anything something'),
  extract_contacts: words(
    'find extract list get pull read show contact contacts details data all people names numbers phone addresses e-mail email text signature',
  ),
  extract_action_items: words(
    'what who has does must pull write items action find list extract all open tasks points next steps notes minutes meeting text transcript according e-mail email message',
  ),
  generate_summary_preview: words(
    'summarize summarise summary sum text article notes note paragraph message mail e-mail email brief sentence sentences',
  ),
  create_chart: words(
    'chart graph plot diagram draw show see display visualize visualise numbers values figures data titled called',
  ),
  image_draft_prompt: words(
    'draft suggest write prompt prompts ideas image picture pictures images variants different',
  ),
  image_generate: words('image picture generate create draw paint format'),
  calculate_roi: words(
    "roi return investment invest invested investing put puts gain gains gained what what's how much calculate compute back spend spends spent earn earns earned earning pay paid cost costs returns returned became becomes euro euros dollar dollars eur usd pounds if when € $ £ money total",
  ),
  validate_email: words(
    'check validate verify valid correct real address e-mail email mail right well-formed whether if look looks',
  ),
  draft_follow_up_email: words(
    'draft write compose prepare email e-mail mail message note follow-up followup thank-you',
  ),
  generate_proposal_draft: words('draft write prepare create proposal offer quote pitch generate'),
  capture_screen_snapshot: words(
    "what what's see look show shown showing take describe sharing share tell read screen",
  ),
  capture_webcam_snapshot: words(
    "what what's see look show camera webcam through take describe tell holding wearing am i'm doing picture photo how hand",
  ),
  search_web: words('search web internet online look find google'),
  get_dashboard_stats: words(
    'dashboard show open statistics stats metrics usage figures how many calls errors tool tools what display view see were',
  ),
  format_datetime: words("what what's time current currently convert format when o'clock"),
  create_calendar_widget: words(
    'find offer pick suggest choose propose show times time slots slot dates date few several free possible available options meeting meet when',
  ),
  calendar_get_availability: words(
    "am i'm when free busy available availability time check show open see read calendar schedule agenda diary what what's how planned whether anything meetings appointments meeting events event still look looks day tell",
  ),
  calendar_create_event: words(
    'schedule arrange set plan organise organize book put add create reserve invite calendar diary meeting event called titled',
  ),
}
