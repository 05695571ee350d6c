// The fourth rule of `npm run lint:names`: in a part of JavaScript, a name is one file's, and one type's.

/** Parts of JavaScript: a package, or what one of its builds takes. */
const PARTS = [
  /^(?:js\/|types\/|index\.d\.ts$)/,
  /^voice-server\/(?!providers\/)/,
  /^react\/src\//,
  /^web\/(?:lib|components)\//,
  /^simulator\//,
  /^tools\/_/,
]
/** A folder's main file. */
const MAIN_FILE = /(?:^|\/)index\.\w+$/
const DECLARED = /^(?:export )?(?:default )?(?:declare )?(?:abstract )?(class|interface|type|enum) ([A-Z]\w*)/
/** A type that a comment declares; not a shorter name for one of another file. */
const TYPEDEF = /@typedef \{(?!import\('[^']*'\)(?:\.\w+)+\}).+\} ([A-Z]\w*)/

/** @returns {{ name: string, place: string, isClass: boolean }[]} `isClass`: its code, which a `.d.ts` may declare as well */
function typesOf([file, text]) {
  return text.split('\n').flatMap((line, index) => {
    const [, kind, type] = DECLARED.exec(line) ?? []
    const name = type ?? TYPEDEF.exec(line)?.[1]
    const isClass = kind === 'class' && !file.endsWith('.d.ts')
    return name ? [{ name, place: `${file}:${index + 1}`, isClass }] : []
  })
}

/** The places of each name that has more than one. A class and its declaration are one. */
function repeated(places) {
  const byName = new Map()
  for (const one of places) byName.set(one.name, [...(byName.get(one.name) ?? []), one])
  const isDeclaredClass = ([one, other, ...more]) =>
    more.length === 0 && one.isClass !== other.isClass && [one, other].some(({ place }) => place.includes('.d.ts:'))
  return [...byName].filter(([, all]) => all.length > 1 && !isDeclaredClass(all))
}

/** Files and types of a part that have the same name. @param {[file: string, text: string][]} sources without tests */
export function repeatedNames(sources) {
  return PARTS.flatMap(part => {
    const inside = sources.filter(([file]) => part.test(file))
    const files = inside.map(([file]) => file).filter(file => !file.endsWith('.d.ts') && !MAIN_FILE.test(file))
    const names = repeated(files.map(file => ({ name: file.split('/').at(-1), place: file })))
    return [...names, ...repeated(inside.flatMap(typesOf))].map(
      ([name, all]) => `\`${name}\` is the name of ${all.length}: ${all.map(({ place }) => place).join(', ')}`,
    )
  })
}
