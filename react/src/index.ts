'use client'
// `toolgate-react`: a page's chat and voice calls with a gate, and the cards in which its user decides.
export { Confirmations } from './card/confirmations.js'
export { type ToolgateChat, type ToolgateChatOptions, useToolgateChat } from './chat/use-toolgate-chat.js'
export { type ToolgateCall, type VoiceCallOptions, useVoiceCall } from './voice/use-voice-call.js'
export { VoiceControls } from './voice/voice-controls.js'
export type { ChatData, ChatMessage, PendingCard } from './chat/chat-message.js'
export type { ClosedQuestion, ShownQuestion } from './question/shown-question.js'
