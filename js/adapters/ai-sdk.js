'use strict'
// `toolgate/ai-sdk`: the session's tools for the AI SDK, and the approvals of a conversation.

const { approvalDescriptors, denyDeclined } = require('./ai-sdk-approvals.js')
const { prepareFoundTools, repairToolCall, toAiSdkTools, toolApproval } = require('./ai-sdk-tools.js')

module.exports = { approvalDescriptors, denyDeclined, prepareFoundTools, repairToolCall, toAiSdkTools, toolApproval }
