// Generated from JSDoc by scripts/write-path-types.mjs.
/**
 * Keeps at most `mostImages` in memory, the latest; nothing is written to disk. Calls with the same key share one
 * generation, also while it runs; a failed one is forgotten, so that the key can be tried again.
 *
 */
export function createImageService(generator: ImageGenerator, { urlOf, mostImages }?: {
    urlOf?: (id: string) => string | null;
    mostImages?: number;
}): {
    generate(request: ImageRequest, { idempotencyKey, signal }?: import("./service-types.js").WriteOptions): Promise<{
        mediaType: string;
        model: string;
        simulated: boolean;
        width: number | null;
        height: number | null;
        id: string;
        url: string | null;
        byteLength: number;
    }>;
    get: (id: string) => {
        bytes: Uint8Array;
        mediaType: string;
    } | null;
};
export type ImageGenerator = {
    generate: (request: ImageRequest, options: {
        idempotencyKey: string;
        signal?: AbortSignal;
    }) => Promise<GeneratedImage>;
};
export type ImageRequest = {
    prompt: string;
    size: "square" | "landscape" | "portrait";
};
export type GeneratedImage = {
    bytes: Uint8Array;
    mediaType?: string;
    model: string;
    simulated?: boolean;
    width?: number | null;
    height?: number | null;
};
export type StoredImage = Required<GeneratedImage>;
