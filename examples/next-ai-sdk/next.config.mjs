import { withToolgate } from 'toolgate/next'

export default withToolgate({ turbopack: { root: import.meta.dirname } })
