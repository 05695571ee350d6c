// The simulator's name and header, so that it is not mistaken for a provider.

export const SIMULATOR_NAME = 'toolgate-simulator'
export const SIMULATOR_HEADER = 'x-toolgate-simulator'
