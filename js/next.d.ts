/** The members of a Next.js configuration that {@link withToolgate} reads and sets. */
export interface NextSettings {
  serverExternalPackages?: string[]
  outputFileTracingIncludes?: Record<string, string[]>
}

/**
 * Adds to a Next.js configuration what this package needs: it stays outside of the bundles, because its addon and its
 * handlers are found by path at run time, and their files are traced into the output (`output: 'standalone'`, Vercel), with the
 * packages and files that they import.
 *
 * @param options `packages`: names of packages that stay outside of the bundles too, and of those that your handlers import by names
 *   that are made at run time
 * @throws TypeError if `config` is a function: call `withToolgate` inside of it
 */
export function withToolgate<Config extends object>(
  config?: Config,
  options?: { packages?: string[] },
): Config & NextSettings
