// Generated from JSDoc by scripts/write-path-types.mjs.
export function refuseFullTextInVoice({ args, mode }: {
    args: {
        return_fields?: string[];
    };
    mode: string;
}): null | import("./service-types.js").FailedResult;
