// What may be said around a read-back without being another sentence: pauses, words before it, the question for consent after
// it, and what asks for an answer of its own. Whole phrases, because their words mean something else in another order.
import { spokenTokens } from './spoken-tokens.js'

/** @param {string} words; a dot in a transcript is a pause */
const wordsOf = words => new Set([...spokenTokens(words), '.'])
/** @param {string[]} lines phrases between commas @returns {string[][]} their tokens */
const phrasesOf = lines => lines.flatMap(line => line.split(',').map(spokenTokens))

/** Sounds of a pause, and words that change nothing. */
export const FILLERS = wordsOf(
  'uh uhh um umm erm er hm hmm mhm ah okay ok so well alright please äh ähm öhm also gut na nun tja bitte euh ben alors bon eh bueno pues ecco allora',
)
/** Said at the beginning. */
const OPENINGS = phrasesOf([
  'yes,yeah,sure,right,all right,of course,certainly,great,now,so now,one moment,just a moment,one second,just a second',
  'just to confirm,to confirm,just to be sure,please confirm,let me read that back,let me read it back,let me confirm,i read it back,here it is,here is the question,the question is,before i do that,before i do it',
  'ja,klar,gerne,natürlich,in ordnung,einen moment,einen augenblick,moment,zur bestätigung,nur zur bestätigung,zur sicherheit,nur zur sicherheit,ich lese es vor,ich lese vor,ich wiederhole,die frage ist',
  'oui,un instant,pour confirmer,je relis,sí,un momento,para confirmar,sì,un attimo,per conferma',
])
/** Questions for consent: what follows a read-back, once or more. */
const CONSENT = phrasesOf([
  ...['that', 'this', 'it'].flatMap(it => [
    `shall i do ${it},should i do ${it},may i do ${it},can i do ${it},would you like me to do ${it},do you want me to do ${it}`,
    `is ${it} right,is ${it} correct,is ${it} ok,is ${it} okay,is ${it} all right,is ${it} alright,is ${it} fine`,
    `do you confirm ${it},can you confirm ${it},please confirm ${it}`,
  ]),
  'do you confirm,can you confirm,please confirm,shall i go ahead,should i go ahead,would you like me to go ahead,do you want me to go ahead,shall i proceed,should i proceed,do you agree,are you sure,right,correct,ok,okay,yes or no',
  ...['tun', 'machen', 'ausführen', 'so tun', 'so machen', 'jetzt tun', 'jetzt machen', 'jetzt ausführen'].map(
    act => `soll ich das ${act},darf ich das ${act},soll ich es ${act}`,
  ),
  'soll ich fortfahren,ist das richtig,ist das so richtig,ist das korrekt,ist das so korrekt,ist das in ordnung,ist das so in ordnung,ist das ok,ist das okay,stimmt das,stimmt das so,passt das,passt das so',
  'bestätigen sie,bestätigen sie das,bestätigst du,bestätigst du das,bitte bestätigen,bitte bestätigen sie,möchten sie das,möchtest du das,wollen sie das,willst du das,möchten sie dass ich das tue,möchtest du dass ich das tue',
  'sind sie sicher,bist du sicher,sind sie einverstanden,bist du einverstanden,einverstanden,richtig,ja oder nein',
  'dois je le faire,dois je faire cela,je le fais,est ce correct,est ce que c est correct,c est correct,confirmez vous,vous confirmez,tu confirmes,d accord,voulez vous que je le fasse,veux tu que je le fasse,oui ou non',
  'lo hago,debo hacerlo,es correcto,lo confirma,lo confirmas,confirma,confirmas,quiere que lo haga,quieres que lo haga,procedo,de acuerdo,sí o no',
  'lo faccio,devo farlo,è corretto,lo conferma,lo confermi,conferma,confermi,vuole che lo faccia,vuoi che lo faccia,va bene,sì o no',
])
/** Begins of questions that a yes or a key answers; a transcript may have no question mark. */
const ASKING = phrasesOf([
  'shall i,should i,may i,can i,could i,shall we,should we,do you,would you,will you,are you,could you,can you,did you,have you,want me to,is that,is this,is it,yes or no',
  'press,the key,key one,say yes,say no',
  'soll ich,sollen wir,darf ich,kann ich,möchten sie,möchtest du,wollen sie,willst du,sind sie,bist du,haben sie,hast du,ist das,stimmt das,passt das,ja oder nein',
  'drück,drücke,drücken,die taste,taste eins,sag ja,sagen sie ja',
  'dois je,voulez vous,veux tu,est ce,appuyez,quiere,quieres,debo,pulse,vuole,vuoi,devo,prema',
])

/** @param {string[]} tokens @param {number} at @param {string[]} phrase */
const isAt = (tokens, at, phrase) => phrase.every((token, offset) => tokens[at + offset] === token)
/** @param {string[][]} phrases @param {string[]} tokens @param {number} at @returns {number[]} ends */
const endsOf = (phrases, tokens, at) =>
  phrases.filter(phrase => isAt(tokens, at, phrase)).map(phrase => at + phrase.length)

/** @param {string[]} tokens @param {number} at */
export const openingEnds = (tokens, at) => endsOf(OPENINGS, tokens, at)
/** @param {string[]} tokens @param {number} at */
export const consentEnds = (tokens, at) => endsOf(CONSENT, tokens, at)

/** The text without the questions for consent at its end. @param {string} text @returns {{ body: string, asks: boolean }} */
export function withoutConsent(text) {
  const sentences = text.match(/[^.!?]*(?:[.!?](?!\s|$)[^.!?]*)*[.!?]*\s*/g)?.filter(Boolean) ?? []
  let length = sentences.length
  while (length > 1 && isConsent(sentences[length - 1])) length -= 1
  return { body: sentences.slice(0, length).join(''), asks: length < sentences.length }
}

/** @param {string} sentence */
function isConsent(sentence) {
  if (!sentence.trimEnd().endsWith('?')) return false
  const tokens = spokenTokens(sentence).filter(token => token !== '.')
  return CONSENT.some(phrase => phrase.length === tokens.length && isAt(tokens, 0, phrase))
}

/** Whether words of the model ask for an answer. @param {string} said */
export function asksSomething(said) {
  if (/[?¿？]/u.test(said)) return true
  const tokens = spokenTokens(said).filter(token => token !== '.')
  return tokens.some((_, at) => endsOf(ASKING, tokens, at).length > 0)
}
