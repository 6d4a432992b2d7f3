import { createContext, useContext, useEffect, useState } from 'react';

/** The API key that the page uses; empty without one. */
export const ApiKey = createContext('');

export type Agent = { name: string; phoneNumber?: string; configuration: Record<string, unknown> };

/** Loads an agent. Returns undefined until it is loaded, and if the key may not read agents. */
export const useAgent = (agentId: string | undefined): Agent | undefined => {
  const apiKey = useContext(ApiKey);
  const [agent, setAgent] = useState<Agent>();
  useEffect(() => {
    if (agentId === undefined) return;
    const controller = new AbortController();
    const headers = { 'x-authorization': apiKey };
    fetch(`/agents/${encodeURIComponent(agentId)}`, { headers, signal: controller.signal })
      .then(async (response) => setAgent(response.ok ? await response.json() : undefined))
      // If this fails, the id is shown.
      .catch(() => {});
    return () => controller.abort();
  }, [agentId, apiKey]);
  return agent;
};
