// Generated from JSDoc by scripts/write-path-types.mjs.
export function createLlmSimulator(): {
    generate(request: {
        prompt: string;
        signal?: AbortSignal;
    }): Promise<{
        text: string;
        model: string;
        simulated: true;
    }>;
};
