// The latest screen frame of the session. Frames come from the page; this tool captures nothing by itself.
import { latestFrame } from '../_services/latest-frame.js'

/** @param {import('../../index.js').HandlerContext} context */
export const execute = context => latestFrame(context, 'screen')
