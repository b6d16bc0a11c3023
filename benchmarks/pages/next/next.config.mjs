// Nginx compresses in front of either server, so neither does it here.
const config = { output: 'standalone', outputFileTracingRoot: import.meta.dirname, compress: false, poweredByHeader: false }

export default config
