// How the simulator names itself, so that nobody takes it for a provider.

export const SIMULATOR_NAME = 'toolgate-simulator'
export const SIMULATOR_HEADER = 'x-toolgate-simulator'
