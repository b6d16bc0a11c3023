/** What an app hands to its features: routes, navigation, the overview. Not counted. */

import type { ReactNode } from "react";
import type { RouteObject } from "react-router";

export interface Feature {
  routes: RouteObject[];
  navigation: { to: string; label: string; icon: string }[];
  tiles: (() => ReactNode)[];
}
