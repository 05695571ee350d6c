// The transcripts of audio utterances: speech is not recognized, the scenario lists the text of each utterance.

export class ScriptedTranscripts {
  #used = 0

  /**
   * @param {import('./scenario/compile.js').CompiledScenario} scenario
   * @returns {string | undefined} the next entry; undefined when none is left
   */
  next({ audio }) {
    const transcript = audio.transcripts[this.#used]
    if (transcript !== undefined) this.#used += 1
    return transcript
  }
}
