from stage import Player, flow
