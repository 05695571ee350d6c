// Generated from JSDoc by scripts/write-path-types.mjs.
export function plainText(value: unknown, maxCharacters: number): string;
