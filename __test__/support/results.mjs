// Results that a session delivers.

/** The results that are there, accepted. */
export async function delivered(session) {
  const responses = []
  for await (const result of session.results({ wait: false })) {
    responses.push(result.response)
    await result.accept()
  }
  return responses
}

export async function next(session) {
  for await (const result of session.results()) return result
}
