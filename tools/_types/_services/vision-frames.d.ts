// Generated from JSDoc by scripts/write-path-types.mjs.
/**
 * One frame per kind and session: a new one replaces the old. At most 200 sessions; the one with the oldest frame is
 * forgotten first. A frame is forgotten after ten minutes.
 *
 */
export function createFrameStore(options?: {
    analyze?: FrameAnalyzer | undefined;
    maxBytes?: number | undefined;
    maxSessions?: number | undefined;
    ttlMs?: number | undefined;
    now?: (() => number) | undefined;
}): {
    put: (sessionId: string, kind: "screen" | "webcam", bytes: Uint8Array) => {
        capturedAt: string;
        mediaType: string;
        width: number;
        height: number;
        byteLength: number;
    };
    /**
     * Resolves to the frame with its analysis, without its bytes; to `{ isOff: true }` if the user has switched it off; to
     * `null` if no frame has arrived.
 */
    latest: (sessionId: string, kind: FrameKind, given?: import("./service-types.js").RequestOptions) => Promise<{
        isOff: boolean;
    } | {
        ageMs: number;
        analysisStatus: "none" | "done" | "failed";
        analysis: string | null;
        capturedAt: string;
        mediaType: "image/png" | "image/jpeg" | "image/webp";
        width: number;
        height: number;
        byteLength: number;
        isOff?: undefined;
    } | null>;
    /**
     * Forgets the frames of a session, when it ends.
 */
    clear: (sessionId: string, kind?: FrameKind) => void;
    /**
     * Forgets the frame: the user has turned the camera, or the sharing, off.
 */
    switchOff: (sessionId: string, kind: FrameKind) => void;
};
export const FRAME_KINDS: readonly string[];
export type FrameKind = "screen" | "webcam";
export type FrameAnalyzer = (frame: {
    kind: FrameKind;
    bytes: Uint8Array;
    mediaType: string;
}) => Promise<string>;
export type FrameAnalysis = {
    status: "done" | "failed" | "none";
    text: string | null;
};
export type FrameContent = import("./image-bytes.js").ImageInfo & {
    bytes: Uint8Array;
    at: number;
};
export type Frame = FrameContent & {
    analysis?: Promise<FrameAnalysis>;
};
export type SwitchedOff = {
    at: number;
    isOff: true;
};
export type FrameStore = {
    sessions: Map<string, Partial<Record<FrameKind, Frame | SwitchedOff>>>;
    analyze?: FrameAnalyzer;
    maxBytes: number;
    maxSessions: number;
    ttlMs: number;
    now: () => number;
    timer: NodeJS.Timeout | null;
};
