// Generated from JSDoc by scripts/write-path-types.mjs.
/**
 * Counts audit events by name.
 *
 */
export function createAuditCounter(): {
    count: (line: string) => void;
    counts: () => {
        since: string;
        events: Record<string, number>;
    };
};
export function createDashboard({ registry, audit }: {
    registry: () => {
        getMetrics(): object;
    };
    audit?: {
        counts(): object;
    } | undefined;
}): {
    getStats({ signal }?: import("./service-types.js").RequestOptions): Promise<{
        metrics: object;
        audit: object | null;
    }>;
};
