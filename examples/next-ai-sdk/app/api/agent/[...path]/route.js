import { agent } from '../../../../lib/agent.js'

export const { GET, POST, DELETE } = agent
