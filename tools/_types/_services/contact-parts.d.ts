// Generated from JSDoc by scripts/write-path-types.mjs.
export function emailsIn(text: string): string[];
export function urlsIn(text: string): string[];
export function phonesIn(text: string, region: string): string[];
/**
 * Only names in scripts with capital letters are recognized.
 */
export function nameIn(text: string): string | null;
export function partsOf(line: string): string[];
export function withoutAddresses(text: string): string;
