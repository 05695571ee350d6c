// Generated from JSDoc by scripts/write-path-types.mjs.
export function createPlaceholderImages(): import("./image-service.js").ImageGenerator;
