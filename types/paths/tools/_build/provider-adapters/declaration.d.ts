// Generated from JSDoc by scripts/write-path-types.mjs.
export function declarationFor(provider: string, definition: Definition): Record<string, unknown>;
/**
 * `toolId`: a schema.json
 */
export type Definition = import('toolgate').ForeignTool | {
    toolId: string;
    description?: string;
    parameters?: object;
};
