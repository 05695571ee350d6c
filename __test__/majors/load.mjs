// The packages of the providers that the repository is developed with. Its twin in `next-majors/` finds the next ones.
export const load = name => import(name)
