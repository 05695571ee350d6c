// Generated from JSDoc by scripts/write-path-types.mjs.
/**
 * `image` has no default: without a service `image_generate` is hidden. For a demonstration give
 * `createImageService(createPlaceholderImages())`.
 *
 */
export function embeddedServices(options?: {
    knowledgeFile?: string | URL | undefined;
    embed?: import("./record-vectors.js").Embed | undefined;
    calendarFolder?: string | URL | undefined;
    timeZone?: string | undefined;
    registry?: (() => {
        getMetrics(): object;
    }) | undefined;
    audit?: {
        counts(): object;
    } | undefined;
    analyzeFrame?: import("./vision-frames.js").FrameAnalyzer | undefined;
}): Promise<Record<string, object>>;
