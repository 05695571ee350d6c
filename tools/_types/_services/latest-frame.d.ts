// Generated from JSDoc by scripts/write-path-types.mjs.
export function latestFrame({ args, services, session, signal }: import('toolgate').HandlerContext<{
    max_age_seconds: number;
}>, kind: FrameKind): Promise<import('toolgate').HandlerResult>;
export type FrameKind = import("./vision-frames.js").FrameKind;
