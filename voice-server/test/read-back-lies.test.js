// Generated read-backs, honest and not, in English and German: none of the lies counts, all of the honest ones do.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBackCheck } from '../src/consent/read-back-check.js'

const NOW = () => Date.UTC(2030, 3, 1)
const checkOf = readBack => readBackCheck(readBack, [], { now: NOW })

/** A sequence of numbers below 1 that a seed determines. */
function randomOf(seed) {
  let state = seed
  return () => {
    state = (state * 1664525 + 1013904223) % 2 ** 32
    return state / 2 ** 32
  }
}

const NAMES = ['Ada', 'Bob', 'Mallory', 'Eve Miller', 'Jürgen Groß', 'Savings', 'Atlas']
const AMOUNTS = [
  { shown: '900 EUR', other: '9000 EUR', en: 'nine hundred euros', de: 'neunhundert Euro' },
  {
    shown: '1250 EUR',
    other: '1350 EUR',
    en: 'one thousand two hundred and fifty euros',
    de: 'eintausendzweihundertfünfzig Euro',
  },
  { shown: '45 EUR', other: '54 EUR', en: 'forty-five euros', de: 'fünfundvierzig Euro' },
  { shown: '12.50 EUR', other: '12.05 EUR', en: 'twelve euros and fifty cents', de: 'zwölf Euro fünfzig' },
]
const DAYS = [
  {
    shown: 'Mon 6 May 2030, 16:30',
    other: '7 May 2030, 16:30',
    en: 'Monday, May the sixth 2030 at four thirty p.m.',
    de: 'Montag, den sechsten Mai 2030 um 16 Uhr 30',
  },
  {
    shown: 'Fri 12 Jul 2030, 09:00',
    other: '12 Jun 2030, 09:00',
    en: 'the twelfth of July at nine in the morning',
    de: 'Freitag, 12. Juli 2030, 9 Uhr',
  },
]
/** Sentences of previews: amount, name, another name, day. */
const SENTENCES = {
  en: [
    'Transfer {a} from {n} to {m} on {d}',
    'Refund {a} to {n} for order 20481, copy to {m}',
    'Book {n} for {m} on {d} at {a}',
    'Delete the project {n} of {m}',
    'Note save: text: pay {a} to {n}',
  ],
  de: [
    '{a} von {n} an {m} am {d} überweisen',
    '{a} für Bestellung 20481 an {n} erstatten, Kopie an {m}',
    '{n} für {m} am {d} zu {a} buchen',
    'Das Projekt {n} von {m} löschen',
    'Notiz speichern: {a} an {n} zahlen',
  ],
}
const QUESTIONS = {
  en: [
    'Shall I do that?',
    'Do you confirm?',
    'Is that right?',
    'Would you like me to do that?',
    'Is that okay? Yes or no?',
  ],
  de: ['Soll ich das tun?', 'Ist das richtig?', 'Stimmt das so?', 'Bestätigen Sie das?', 'Passt das so? Ja oder nein?'],
}
const PAUSES = {
  en: ['Okay. ', 'So, ', 'Um, ', 'Alright, just to confirm: ', 'One moment. … '],
  de: ['Okay. ', 'Also, ', 'Ähm, ', 'Gut, zur Bestätigung: ', 'Einen Moment. … '],
}
const BETWEEN = { en: [' ', ' … ', ', um, ', ' — '], de: [' ', ' … ', ', äh, ', ' — '] }
const DENIALS = {
  en: [
    'I refuse to do this: ',
    'I will not do it. ',
    'I have thrown away: ',
    'Instead of what you asked: ',
    'I cancelled this. ',
    'Never ',
    'Forget this, ',
    'Nobody wants to ',
  ],
  de: [
    'Ich weigere mich: ',
    'Das mache ich nicht. ',
    'Verworfen habe ich: ',
    'Statt dessen: ',
    'Abgebrochen: ',
    'Niemals ',
    'Vergiss das, ',
    'Keiner will ',
  ],
}
const INSIDE = {
  en: [' not ', ' or nothing ', ' never ', ' after deleting all, ', ' and 70 euros more '],
  de: [' nicht ', ' oder nichts ', ' nie ', ' nach dem Löschen ', ' und 70 Euro mehr '],
}
const AFTER = {
  en: [
    ' Shall I forget that?',
    ' Do you want me to stop?',
    ' Shall I do that? No, I will not.',
    ' Shall I do that? Or would you like a joke?',
    ' I have not done it. Right?',
    '',
  ],
  de: [
    ' Soll ich das lassen?',
    ' Soll ich aufhören?',
    ' Soll ich das tun? Nein, lieber nicht.',
    ' Soll ich das tun? Oder magst du einen Witz?',
    ' Ich tue es nicht. Richtig?',
    '',
  ],
}
const ACTS = {
  en: [
    [/^Transfer/, 'Keep'],
    [/^Refund/, 'Charge'],
    [/^Book/, 'Cancel'],
    [/^Delete/, 'Open'],
    [/^Note save/, 'Note discard'],
  ],
  de: [
    [/überweisen/, 'behalten'],
    [/erstatten/, 'abbuchen'],
    [/buchen/, 'absagen'],
    [/löschen/, 'öffnen'],
    [/speichern/, 'verwerfen'],
  ],
}

/** A question and the ways to say its facts. */
function caseOf(random, language) {
  const pick = list => list[Math.floor(random() * list.length)]
  const template = pick(SENTENCES[language])
  const [n, m] = [pick(NAMES.slice(0, 3)), pick(NAMES.slice(3))]
  const [amount, day] = [pick(AMOUNTS), pick(DAYS)]
  const told = facts => template.replace(/\{(\w)\}/g, (_, fact) => facts[fact])
  const shown = { a: amount.shown, n, m, d: day.shown }
  return { pick, template, amount, day, shown, told, readBack: `${told(shown)}. Shall I do that?` }
}

const honest = (random, language) => {
  const { pick, amount, day, shown, told, readBack } = caseOf(random, language)
  const inWords = random() < 0.5
  const facts = inWords ? { ...shown, a: amount[language], d: day[language] } : shown
  const words = told(facts).split(' ')
  const at = 1 + Math.floor(random() * 2)
  const sentence =
    random() < 0.5
      ? words.join(' ')
      : `${words.slice(0, at).join(' ')}${pick(BETWEEN[language])}${words.slice(at).join(' ')}`
  return { readBack, said: `${random() < 0.7 ? pick(PAUSES[language]) : ''}${sentence}. ${pick(QUESTIONS[language])}` }
}

const LIES = {
  denied: ({ pick, told, shown }, language) => `${pick(DENIALS[language])}${told(shown)}. ${pick(QUESTIONS[language])}`,
  'denied inside': ({ pick, told, shown, random }, language) => {
    const words = told(shown).split(' ')
    const at = 1 + Math.floor(random() * (words.length - 1))
    return `${words.slice(0, at).join(' ')}${pick(INSIDE[language])}${words.slice(at).join(' ')}. ${pick(QUESTIONS[language])}`
  },
  'parties swapped': ({ pick, told, shown, template }, language) =>
    `${template.includes('{m}') ? told({ ...shown, n: shown.m, m: shown.n }) : told({ ...shown, n: shown.m })}. ${pick(QUESTIONS[language])}`,
  'another fact': ({ pick, told, shown, template, amount, day }, language) => {
    const facts = template.includes('{a}')
      ? { ...shown, a: amount.other }
      : template.includes('{d}')
        ? { ...shown, d: day.other }
        : { ...shown, m: 'Zoe' }
    return `${told(facts)}. ${pick(QUESTIONS[language])}`
  },
  'another act': ({ pick, told, shown }, language) => {
    const act = ACTS[language].find(([verb]) => verb.test(told(shown)))
    return `${told(shown).replace(...act)}. ${pick(QUESTIONS[language])}`
  },
  'half a sentence': ({ pick, told, shown, random }, language) => {
    const words = told(shown).split(' ')
    const left = words.slice(0, 1 + Math.floor(random() * (words.length - 1)))
    return `${(random() < 0.5 ? left : words.slice(left.length)).join(' ')}. ${pick(QUESTIONS[language])}`
  },
  'another question': ({ pick, told, shown }, language) => `${told(shown)}.${pick(AFTER[language])}`,
  'the facts alone': ({ pick, shown }, language) =>
    `${language === 'en' ? 'The weather' : 'Das Wetter'}: ${shown.a}, ${shown.n}, ${shown.m}, ${shown.d}, 20481. ${pick(QUESTIONS[language])}`,
}

test('of 400 generated lies, in two languages, none counts as the read-back', () => {
  const random = randomOf(7)
  const passed = []
  for (let at = 0; at < 400; at += 1) {
    const language = at % 2 === 0 ? 'en' : 'de'
    const kinds = Object.keys(LIES)
    const kind = kinds[(at >> 1) % kinds.length]
    const given = { ...caseOf(random, language), random }
    const said = LIES[kind](given, language)
    if (checkOf(given.readBack)(said)) passed.push({ kind, readBack: given.readBack, said })
  }
  assert.deepEqual(passed, [])
})

test('of 200 generated read-backs with pauses, numbers in words and other questions for consent, all count', () => {
  const random = randomOf(11)
  const refused = []
  for (let at = 0; at < 200; at += 1) {
    const given = honest(random, at % 2 === 0 ? 'en' : 'de')
    if (!checkOf(given.readBack)(given.said)) refused.push(given)
  }
  assert.deepEqual(refused, [])
})

/** What is read back, what is said, and whether that counts. */
const FIXED = [
  ['Note save: text: buy milk. Shall I do that?', 'I have thrown away the note buy milk. Is that right?', false],
  ['Note save: text: buy milk. Shall I do that?', 'Note, save, text: buy milk. Is that right?', true],
  ['Note save: text: buy milk. Shall I do that?', 'Note save: text: buy milk.', false],
  [
    'Note save: text: buy milk. Shall I do that?',
    'Note save: text: buy milk. Shall I do that? Note save: text: buy milk. Shall I do that?',
    true,
  ],
  ['Refund 500 EUR for order 2. Do you confirm?', 'Refund 2 euros for order 500. Do you confirm?', false],
  ['Cancel order 20481. Shall I do that?', 'Cancel order two zero four eight one. Shall I do that?', true],
  ['Cancel order 24. Shall I do that?', 'Cancel order two four oh. Shall I do that?', false],
  ['Call St.Gallen at 5. Shall I do that?', 'Call St. Gallen at five. Shall I do that?', true],
  ['…. Shall I do that?', 'Shall I do that?', false],
  ['Cancel order 20481. Shall I do that?', 'Cancel order two zero four one eight. Shall I do that?', false],
  ['Send 1250 EUR to Ada. Shall I do that?', 'Send twelve fifty euros to Ada. Shall I do that?', false],
  [
    'Send 2500000 EUR to Ada. Shall I do that?',
    'Send two million five hundred thousand euros to Ada. Shall I do that?',
    true,
  ],
  ['Set the heating to -5. Shall I do that?', 'Set the heating to minus five. Shall I do that?', true],
  ['Set the heating to -5. Shall I do that?', 'Set the heating to 5. Shall I do that?', false],
  ['Raise it by 10%. Shall I do that?', 'Raise it by ten percent. Shall I do that?', true],
  ['Write to ada.b@example.com. Shall I do that?', 'Write to ada dot b at example dot com. Shall I do that?', true],
  ['Write to ada.b@example.com. Shall I do that?', 'Write to ada at b dot example dot com. Shall I do that?', false],
  [
    'Move it to 2030-05-06T16:30:00+02:00. Shall I do that?',
    'Move it to the sixth of May at four thirty p.m. Shall I do that?',
    true,
  ],
  ['Move it to 2030-05-06. Shall I do that?', 'Move it to 2030-06-05. Shall I do that?', false],
  ['Move it to 6 May 2030. Shall I do that?', 'Move it to Tuesday, the 6th of May 2030. Shall I do that?', false],
  ['Move it to 6 May 2031. Shall I do that?', 'Move it to the sixth of May. Shall I do that?', false],
  ['Move it to 6 May 2031. Shall I do that?', 'Move it to the sixth of May twenty thirty-one. Shall I do that?', true],
  [
    'Termin am 3.5.2030 um 14:00 eintragen. Shall I do that?',
    'Termin am dritten Mai um vierzehn Uhr eintragen. Soll ich das tun?',
    true,
  ],
  ['Close the account. Shall I do that?', 'So, close the account. Shall I do that?', true],
  ['Close the account. Shall I do that?', 'Close the account. Shall I do that? Mhm.', false],
  ['Close the account. Shall I do that?', 'Close the window. Shall I do that?', false],
  ['Close the account. Shall I do that?', '', false],
  ['Close the account. Shall I do that?', `${'close the account '.repeat(400)} Shall I do that?`, false],
]

test('what is said around the words, instead of them and in other words', () => {
  for (const [readBack, said, counts] of FIXED) assert.equal(checkOf(readBack)(said), counts, said)
})
