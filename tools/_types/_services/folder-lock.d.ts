// Generated from JSDoc by scripts/write-path-types.mjs.
/**
 * Runs `work` while no other process holds the lock of this folder, in this process or another.
 *
 */
export function withLock<T>(folder: string, work: () => Promise<T>, { signal, waitMs }?: {
    signal?: AbortSignal;
    waitMs?: number;
}): Promise<T>;
