// The budgets of the built-in modes under the import path of voice servers. The core defines their numbers.
import { builtInModes } from 'toolgate'

export const { text: TEXT_BUDGET, voice: VOICE_BUDGET, webcam: WEBCAM_BUDGET } = builtInModes
