// Generated from JSDoc by scripts/write-path-types.mjs.
export function createKnowledgeSearch(kb: Pick<Awaited<ReturnType<typeof import("./knowledge-base.js").createKnowledgeBase>>, "search">): import("./service-types.js").SearchService;
