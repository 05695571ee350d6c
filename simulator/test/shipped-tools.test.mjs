// Everyday phrasings for the shipped tools: each calls its tool with arguments that the tool's schema accepts.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { createRequire } from 'node:module'
import OpenAI from 'openai'
import { startSimulator } from '../src/index.js'

const { SchemaValidator } = createRequire(import.meta.url)('../../index.js')
const PHRASES = [
  ['Draw a bar chart of 3, 5 and 8', 'create_chart'],
  ['Please plot a line chart: 1.5, -2, 7', 'create_chart'],
  ['Find a time for a design review', 'create_calendar_widget'],
  ['Suggest some slots', 'create_calendar_widget'],
  ['When am I free?', 'calendar_get_availability'],
  ['Check my calendar', 'calendar_get_availability'],
  ['What is the ROI of 40000 if we gain 58000?', 'calculate_roi'],
  ['Is ada@example.com valid?', 'validate_email'],
  ['What time is 2030-01-15T10:00:00Z in Asia/Tokyo?', 'format_datetime'],
  ['Extract contacts from Ada Example, ada@example.com', 'extract_contacts'],
  ['Action items from: Mirela will send the estimate by Friday.', 'extract_action_items'],
  ['Summarize: The audit took three days. Two of nine pages failed.', 'generate_summary_preview'],
  ['Write a follow-up email to Ada about the review on Monday', 'draft_follow_up_email'],
  ['Draft a proposal for the museum about an audio guide', 'generate_proposal_draft'],
  ['Generate an image of a lighthouse made of books', 'image_generate'],
  ['Suggest prompts for a lighthouse made of books', 'image_draft_prompt'],
  ['LinkedIn profile of person:ada_example', 'linkedin_lookup'],
  ['What is on my screen?', 'capture_screen_snapshot'],
  ['What do you see?', 'capture_webcam_snapshot'],
  ['Search the web for target sizes', 'search_web'],
  ['Rank doc:a and doc:b', 'rank_results'],
  ['Show me the dashboard', 'get_dashboard_stats'],
  ['Which tool do you have for creating events?', 'reg_search'],
  ['How do I use kb_search?', 'reg_describe'],
  ['What is still running?', 'call_status'],
  ['Never mind', 'call_status'],
  ['Can you set up a review with kim@example.com?', 'calendar_create_event'],
  ['Where do I find the brand guidelines?', 'kb_search'],
]

for (const [phrase, name] of PHRASES) {
  test(phrase, async t => {
    const { url, close } = await startSimulator({ scenarioFile: new URL('../scenarios/default.json', import.meta.url) })
    t.after(close)
    const schema = JSON.parse(await readFile(new URL(`../../tools/${name}/schema.json`, import.meta.url), 'utf8'))
    const openai = new OpenAI({ apiKey: 'any', baseURL: `${url}/v1` })
    const { choices } = await openai.chat.completions.create({
      model: 'any',
      messages: [{ role: 'user', content: phrase }],
      tools: [{ type: 'function', function: { name, parameters: schema.parameters } }],
    })
    const [call] = choices[0].message.tool_calls ?? []
    assert.equal(call?.function.name, name, choices[0].message.content)
    const { valid, errors } = new SchemaValidator(schema.parameters).validate(JSON.parse(call.function.arguments))
    assert.ok(valid, JSON.stringify(errors))
  })
}
