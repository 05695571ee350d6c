'use strict'
// `toolgate/ai-sdk`: the session's tools for the AI SDK, the approvals of a conversation, and the route of a chat.

const { denyDeclined } = require('./ai-sdk-approvals.js')
const { createChatRoute } = require('./ai-sdk-chat-route.js')
const {
  confirmationMetadata,
  prepareFoundTools,
  repairToolCall,
  toAiSdkTools,
  toolApproval,
} = require('./ai-sdk-tools.js')

module.exports = {
  confirmationMetadata,
  createChatRoute,
  denyDeclined,
  prepareFoundTools,
  repairToolCall,
  toAiSdkTools,
  toolApproval,
}
