// A sandbox of ours serves one request at a time, whose trace is in the environment: there the SDK looks when it finds
// none in a store.
export const InvokeStore = { getInstanceAsync: async () => undefined };
