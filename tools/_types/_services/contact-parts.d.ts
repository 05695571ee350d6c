// Generated from JSDoc by scripts/write-path-types.mjs.
export function urlsIn(text: string): string[];
export function phonesIn(text: string, region?: string): string[];
/**
 * Only names in scripts with capital letters are recognized.
 */
export function nameIn(text: string): string | null;
export function partsOf(line: string): string[];
/**
 * The parts of a sentence that names several people, each with its name: the addresses of each follow the name, or stand
 * before it. Empty if it is not so: an address must not become another person's.
 */
export function namedParts(sentence: string, isReachable: (part: string) => boolean): {
    name: string;
    part: string;
}[];
export function emailsIn(text: string): string[];
export function brokenEmailsIn(text: string): string[];
export function withoutAddresses(text: string): string;
