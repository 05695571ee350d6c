// The packages of the providers that the repository is developed with. Its twin in `newer-node/` finds the next ones.
export const load = name => import(name)
