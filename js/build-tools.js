#!/usr/bin/env node
'use strict'

// `npm run build:tools`: compiles the shipped tools, or the folder given. Exit code 1 where there are errors.

const { parseArgs } = require('node:util')

const { buildTools, formatReport } = require('./compile.js')

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string' }, json: { type: 'boolean', default: false } },
})
const report = buildTools({ toolsDir: positionals[0], outDir: values.out })
process.stdout.write(values.json ? `${JSON.stringify(report, null, 2)}\n` : formatReport(report))
process.exitCode = report.ok ? 0 : 1
