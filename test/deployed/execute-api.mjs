// Functions call the API at the name that AWS gives it, which the emulator serves under another name.
const named = /^https:\/\/(\w+)\.execute-api\.[\w-]+\.amazonaws\.com(?=\/)/;
const { fetch } = globalThis;
const gateway = new URL(process.env.EMULATOR_ENDPOINT);

globalThis.fetch = (input, init) => {
  const address = String(input?.url ?? input);
  const [found, api] = named.exec(address) ?? [];
  if (!found) return fetch(input, init);
  const headers = { ...init?.headers, host: `${api}.execute-api.localhost:${gateway.port}` };
  return fetch(address.replace(found, gateway.origin), { ...init, headers });
};
