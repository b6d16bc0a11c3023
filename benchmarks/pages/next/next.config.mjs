// Nginx compresses in front of either server, so neither does it here.
const config = {
  output: 'standalone',
  outputFileTracingRoot: import.meta.dirname,
  compress: false,
  poweredByHeader: false,
  // Nothing is built a second time from the same folder.
  experimental: { turbopackFileSystemCacheForBuild: false },
}

export default config
