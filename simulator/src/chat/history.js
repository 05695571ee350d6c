// Where a conversation stands, read from its message history alone: Chat Completions keeps nothing between requests.

/**
 * @typedef {object} Standing
 * @property {number} turn number of user utterances so far (messages of role `user` that follow each other are one)
 * @property {string} text the last utterance
 * @property {number} step how many times the model has called tools since then
 * @property {unknown[]} results of the last calls, in the order of the calls; JSON where it is JSON, else text
 * @property {string[]} tools names of the tools that answered
 */

/**
 * @param {any[]} messages checked ones
 * @returns {Standing}
 */
export function readHistory(messages) {
  const lastUser = messages.findLastIndex(({ role }) => role === 'user');
  const since = messages.slice(lastUser + 1);
  const calling = since.filter(({ tool_calls: calls }) => calls !== undefined);
  const answers = answersTo(calling.at(-1), since);
  return {
    turn: messages.filter(({ role }, index) => role === 'user' && messages[index - 1]?.role !== 'user').length,
    text: lastUser === -1 ? '' : textOf(messages[lastUser].content),
    step: calling.length,
    results: answers.map(({ message }) => jsonOrText(textOf(message.content))),
    tools: answers.map(({ name }) => name),
  };
}

function answersTo(calling, since) {
  const calls = calling?.tool_calls ?? [];
  const messages = since.slice(since.indexOf(calling) + 1);
  return calls.flatMap(({ id, function: called }) => {
    const message = messages.find(({ role, tool_call_id: of }) => role === 'tool' && of === id);
    return message === undefined ? [] : [{ message, name: called?.name }];
  });
}

function textOf(content) {
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ text }) => (typeof text === 'string' ? text : '')).join('');
}

function jsonOrText(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
