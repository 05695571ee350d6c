// Generated from JSDoc by scripts/write-path-types.mjs.
export class BoundedCache<Value> {
    constructor({ maxWeight, weigh }: {
        maxWeight: number;
        weigh?: ((value: Value) => number) | undefined;
    });
    generationWeight: number;
    weigh: (value: Value) => number;
    /** The number of kept values. */
    get size(): number;
    /**
     * The value of `key`, which `make` makes if it is not kept. Callers share the value: it must not be changed.
 */
    get(key: string, make: (key: string) => Value): Value;
    #private;
}
