// Generated from JSDoc by scripts/write-path-types.mjs.
export function imageInfo(bytes: Uint8Array): ImageInfo | null;
export type ImageInfo = {
    mediaType: "image/png" | "image/jpeg" | "image/webp";
    width: number;
    height: number;
};
