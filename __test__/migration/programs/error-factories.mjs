import { failure, success } from 'toolgate/tools/_core/error-types.js'
console.log(JSON.stringify([success({ n: 1 }), failure('AUTH', 'no')]))
