// The prompts under the import path of voice servers. Nothing is defined here.
export { getToolDocumentation, loadTextPrompt, loadVoicePrompt } from 'toolgate'
