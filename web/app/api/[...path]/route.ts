import { answerAgent } from '@/lib/agent'

export const runtime = 'nodejs'
export const maxDuration = 30

/** The chat, its conversation, questions, grants and tools: the routes of `toolgate/web`. */
export { answerAgent as DELETE, answerAgent as GET, answerAgent as POST }
