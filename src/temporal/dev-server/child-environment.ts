import { onlyVariables, openVariables } from '../../model/open-variables';

/** How a program written in Go uses memory and processors. */
const goRuntime = ['GOGC', 'GOMEMLIMIT', 'GOMAXPROCS', 'GODEBUG', 'GOTRACEBACK'] as const;

/** Proxy and certificate settings. */
const network = [
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'],
  ...['http_proxy', 'https_proxy', 'no_proxy', 'all_proxy'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS'],
] as const;

/** Settings of the Go command, as `go help environment` lists them. */
const goCommand = [
  ...['GOROOT', 'GOPATH', 'GOBIN', 'GOENV', 'GOFLAGS', 'GOTOOLCHAIN', 'GOWORK', 'GO111MODULE'],
  ...['GOCACHE', 'GOMODCACHE', 'GOTMPDIR'],
  ...['GOPROXY', 'GONOPROXY', 'GOPRIVATE', 'GOSUMDB', 'GONOSUMDB', 'GOINSECURE', 'GOVCS', 'GOAUTH', 'NETRC'],
  ...['GOOS', 'GOARCH', 'GOAMD64', 'GOARM64', 'CGO_ENABLED', 'CC', 'CXX'],
] as const;

/** Names that pass, by what the program is for. Whole names: `GO…` would let `GOOGLE_API_KEY` through. */
const names = {
  /** Temporal's server: it fetches nothing, and is told everything by its arguments. */
  server: [...openVariables, ...goRuntime],
  /** `go install`, `go version`. */
  build: [...openVariables, ...goRuntime, ...network, ...goCommand],
  /** Local programs such as `ps`. */
  look: openVariables,
} as const satisfies Record<string, readonly string[]>;

/** Environment of programs we start: only what they need, so no password, key or chat URL. */
export const childEnvironment = (
  purpose: keyof typeof names,
  env: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv => onlyVariables(names[purpose], env);
