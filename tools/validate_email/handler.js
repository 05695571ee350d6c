// Checks an address by the gate's own rule for `format: "email"`, so that this tool and the schemas of others agree.
import { success } from '../_core/tool-response.js'
import { emailProblem } from '../_services/email-rule.js'
import { ServiceError, serviceFailure } from '../_services/service-errors.js'

export async function execute({ args, services, signal }) {
  const { email } = args
  const problem = emailProblem(email)
  if (problem !== null || !services.mail_servers) return answer(email, problem)
  try {
    const known = await services.mail_servers.accepts(email.slice(email.lastIndexOf('@') + 1), { signal })
    if (typeof known !== 'boolean') throw new ServiceError('UNAVAILABLE', 'the answer is no boolean')
    return answer(email, known ? null : 'the domain has no mail server')
  } catch (error) {
    return serviceFailure(error, 'mail server look-up')
  }
}

const answer = (email, reason) => success({ email, valid: reason === null, reason })
