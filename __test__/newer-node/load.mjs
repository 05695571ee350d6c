// The packages of the providers as they come next; one that has no next major yet is found where the repository has it.
export const load = name => import(name)
