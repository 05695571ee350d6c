// Checks an address by the gate's own rule for `format: "email"`, which the schemas of other tools have too, and the form
// of its domain. `looked_up` says whether more than the form was checked.
import { success } from '../_core/tool-response.js'
import { domainProblem, emailProblem } from '../_services/email-rule.js'
import { ServiceError, serviceFailure } from '../_services/service-errors.js'

/** @param {import('../../index.js').HandlerContext} context */
export async function execute({ args, services, signal }) {
  const { email } = args
  const problem = emailProblem(email) ?? domainProblem(email)
  if (problem !== null || !services.mail_servers) return answer(email, problem, false)
  try {
    const known = await services.mail_servers.accepts(email.slice(email.lastIndexOf('@') + 1), { signal })
    if (typeof known !== 'boolean') throw new ServiceError('UNAVAILABLE', 'the answer is no boolean')
    return answer(email, known ? null : 'the domain has no mail server', true)
  } catch (error) {
    return serviceFailure(error, 'mail server look-up')
  }
}

/** @param {string} email @param {string | null} reason @param {boolean} lookedUp */
const answer = (email, reason, lookedUp) => success({ email, valid: reason === null, reason, looked_up: lookedUp })
