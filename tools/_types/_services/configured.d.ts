// Generated from JSDoc by scripts/write-path-types.mjs.
export function configuredServices(settings: ServiceSettings, { imageUrl, registry }?: {
    imageUrl?: ((id: string) => string) | undefined;
    registry?: (() => import('toolgate').ToolRegistry) | undefined;
}): Promise<{
    services: Record<string, any>;
    sources: Record<string, ServiceSource>;
}>;
/**
 * The fields of a server's line at start: `{ real, simulated, absent }`, each with what serves, by the service's name.
 */
export function sourceFields(sources: Record<string, ServiceSource>): Record<"simulated" | "real" | "absent", Record<string, string>>;
/**
 * to a provider
 */
export type Access = {
    apiKey: string;
    baseUrl?: string;
};
/**
 * as `toolServiceSettings` of `toolgate/http` reads them
 */
export type ServiceSettings = {
    openai: Access | null;
    /**
     * `baseUrl` without the version, as Google's SDK takes it
     */
    gemini: Access | null;
    brave: Access | null;
    /**
     * of drafts and of descriptions of frames
     */
    model?: string | undefined;
    /**
     * of Gemini's search
     */
    searchModel?: string | undefined;
    imageModel?: string | undefined;
    knowledgeFile?: string | undefined;
    calendarFolder?: string | undefined;
};
export type ServiceSource = {
    state: "real" | "simulated" | "absent";
    by: string;
};
/**
 * null: no key for it
 */
export type Found = {
    service: unknown;
    source: ServiceSource;
} | null;
