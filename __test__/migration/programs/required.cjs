const { ErrorType, createStateController } = require('toolgate')
console.log(JSON.stringify([ErrorType.TRANSIENT, createStateController().get('mode')]))
