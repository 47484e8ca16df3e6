"""Messages about plugins that are installed: what cannot be listed, imported, or is no plugin, and what they need."""

from __future__ import annotations

from message_plugins import plugin
from message_run import Row, row

IMPORTS: tuple[Row, ...] = (
    row(
        "tools --set plugins.x=true",
        (
            '--set plugins.x: [plugins.x]: distribution "acme-1": cannot be imported from acme_1:it: '
            "ImportError: no\\x0a\\x1blib"
        ),
        plugins={"x": "raise ImportError('no\\n\\x1blib')"},
    ),
    row(
        "tools --set plugins.x=true",
        ('--set plugins.x: [plugins.x]: distribution "acme-1": cannot be imported from acme_1:it: SystemExit: 3'),
        plugins={"x": "raise SystemExit(3)"},
    ),
    row(
        "tools --set plugins.x=true",
        (
            '--set plugins.x: [plugins.x]: distribution "acme-1": acme_1:it is no plugin but int; declare it '
            "with @plugin"
        ),
        plugins={"x": "it = 3"},
    ),
    row(
        "tools --set plugins.x=true",
        (
            "--set plugins.x: [plugins.x]: distribution \"acme-1\": acme_1:it calls itself 'y'; its entry point "
            "must have that name"
        ),
        plugins={"x": plugin("yield", name="y")},
    ),
    row(
        "tools --set plugins.x=true",
        (
            '--set plugins.x: [plugins.x]: distribution "acme-1": cannot be imported from acme_1:it: '
            "SyntaxError: '(' was never closed (acme_1.py, line 1)"
        ),
        plugins={"x": "def broken("},
    ),
    row(
        "tools --set plugins.x=true",
        (
            '--set plugins.x: [plugins.x]: distribution "acme-1": cannot be imported from acme_1:it: '
            "ModuleNotFoundError: No module named 'nowhere_at_all'"
        ),
        plugins={"x": "import nowhere_at_all"},
    ),
    row(
        "tools --set plugins.x=true",
        (
            '--set plugins.x: [plugins.x]: distribution "acme-1": cannot be imported from acme_1:it: '
            "AttributeError: module 'acme_1' has no attribute 'it'"
        ),
        plugins={"x": "ok = 1"},
    ),
    row(
        "tools --set plugins.x=true",
        (
            '--set plugins.x: [plugins.x]: distribution "acme-1": cannot be imported from acme_1:it: ValueError: '
            "a plugin's name is of letters, digits, - and _, such as \"shell\", not 'a b'"
        ),
        plugins={"x": "from trio_tools import plugin\nplugin('a b', config=int)"},
    ),
    row(
        "tools --set plugins.x=true",
        (
            '--set plugins.x: [plugins.x]: distribution "acme-1": cannot be imported from acme_1:it: TypeError: '
            "plugin \"x\": config must be an attrs class, not <class 'int'>"
        ),
        plugins={"x": "from trio_tools import plugin\nplugin('x', config=int)"},
    ),
    row(
        "tools --set plugins.x=true",
        (
            '--set plugins.x: [plugins.x]: distribution "acme-1": cannot be imported from acme_1:it: TypeError: '
            "a plugin's name must be a string, not 3"
        ),
        plugins={"x": "from trio_tools import plugin\nplugin(3, config=int)"},
    ),
    row(
        "tools --set plugins.x=true",
        (
            '--set plugins.x: [plugins.x]: distribution "acme-1": cannot be imported from acme_1:it: TypeError: '
            "plugin \"x\": requires must be a tuple, such as ('y',)"
        ),
        plugins={"x": plugin("yield", more=', requires="y"')},
    ),
    row(
        "tools --set plugins.x=true",
        (
            '--set plugins.x: [plugins.x]: distribution "acme-1": cannot be imported from acme_1:it: TypeError: '
            'plugin "x": requires holds 3, which is no str'
        ),
        plugins={"x": plugin("yield", more=", requires=(3,)")},
    ),
    row(
        "tools --set plugins.x=true",
        (
            '--set plugins.x: [plugins.x]: distribution "acme-1": cannot be imported from acme_1:it: TypeError: '
            'plugin "x" is no context manager; put @asynccontextmanager under @plugin'
        ),
        plugins={
            "x": (
                "from contextlib import asynccontextmanager\nimport attrs\nfrom trio_tools import "
                "plugin\n@attrs.frozen\nclass C:\n    pass\n@plugin('x', config=C)\nasync def it(registry, config):\n "
                "   yield\n"
            )
        },
    ),
    row(
        "tools --set plugins.x=true",
        (
            '--set plugins.x: [plugins.x]: distribution "acme-1": cannot be imported from acme_1:it: TypeError: '
            'plugin "x" is made of an async context manager, not of int'
        ),
        plugins={
            "x": (
                "from contextlib import asynccontextmanager\nimport attrs\nfrom trio_tools import "
                "plugin\n@attrs.frozen\nclass C:\n    pass\nplugin('x', config=C)(3)\n"
            )
        },
    ),
    row(
        "tools --set plugins.x=true",
        ("--set plugins.x: [plugins.x]: the types of C cannot be resolved: NameError: name 'Nowhere' is not defined"),
        plugins={
            "x": (
                "from contextlib import asynccontextmanager\nimport attrs\nfrom trio_tools import "
                "plugin\n@attrs.frozen\nclass C:\n    a: 'Nowhere' = 1\n@plugin('x', "
                "config=C)\n@asynccontextmanager\nasync def it(registry, config):\n    yield\n"
            )
        },
    ),
    row(
        "tools --set plugins.x=true",
        "--set plugins.x: [plugins.x]: the plugin's config class C is no plain attrs class",
        plugins={
            "x": (
                "from contextlib import asynccontextmanager\nimport attrs\nfrom trio_tools import "
                "plugin\n@attrs.frozen\nclass C(Exception):\n    a: int = 1\n@plugin('x', "
                "config=C)\n@asynccontextmanager\nasync def it(registry, config):\n    yield\n"
            )
        },
    ),
    row(
        "tools --set plugins.x=true",
        "--set plugins.x: [plugins.x]: the plugin's config class C is no attrs class",
        plugins={
            "x": (
                "from contextlib import asynccontextmanager\nimport attrs\nfrom trio_tools import plugin\nfrom "
                "trio_tools import Plugin\nclass C:\n    pass\nit = Plugin('x', print, C)\n"
            )
        },
    ),
    row(
        "config x",
        "plugin x: the types of C cannot be resolved: NameError: name 'Nowhere' is not defined",
        out=None,
        plugins={
            "x": (
                "from contextlib import asynccontextmanager\nimport attrs\nfrom trio_tools import "
                "plugin\n@attrs.frozen\nclass C:\n    a: 'Nowhere' = 1\n@plugin('x', "
                "config=C)\n@asynccontextmanager\nasync def it(registry, config):\n    yield\n"
            )
        },
    ),
    row(
        "config nowhere shel",
        (
            "plugin nowhere: no such plugin is installed. Installed: files, journal, logging, retry, shell, spill, "
            "timeout, todo"
        ),
        (
            'plugin shel: no such plugin is installed; did you mean "shell"? Installed: files, '
            "journal, logging, retry, shell, spill, timeout, todo"
        ),
    ),
    row(
        "tools",
        (
            "installed plugins: cannot be listed: 'utf-8' codec can't decode byte 0xff in position 21: invalid "
            "start byte"
        ),
        files={"site/odd-1.dist-info/entry_points.txt": b"[trio_tools.plugins]\n\xff = x\n"},
    ),
    row(
        "config files",
        (
            "installed plugins: cannot be listed: 'utf-8' codec can't decode byte 0xff in position 21: invalid "
            "start byte"
        ),
        files={"site/odd-1.dist-info/entry_points.txt": b"[trio_tools.plugins]\n\xff = x\n"},
    ),
    row(
        "tools --set plugins.x=true",
        (
            "--set plugins.x: [plugins.x]: a nameless distribution: builtins:print is no plugin but "
            "builtin_function_or_method; declare it with @plugin"
        ),
        files={"site/odd-1.dist-info/entry_points.txt": "[trio_tools.plugins]\nx = builtins:print\n"},
    ),
    row(
        "tools --set plugins.x=true",
        (
            '--set plugins.x: [plugins.x]: offered by a nameless distribution and by distribution "acme-1"; '
            "uninstall all of them but one"
        ),
        files={"site/odd-1.dist-info/entry_points.txt": "[trio_tools.plugins]\nx = builtins:print\n"},
        plugins={"x": plugin("yield")},
    ),
)

NEEDS: tuple[Row, ...] = (
    row(
        "tools --set plugins.x=true",
        'plugin "x" requires plugin "y", which is not listed',
        plugins={"x": plugin("yield", more=', requires=("y",)')},
    ),
    row(
        "check c.toml",
        'c.toml: plugin "x" requires plugin "y", which is not listed',
        files={"c.toml": "[plugins.x]"},
        plugins={"x": plugin("yield", more=', requires=("y",)')},
    ),
    row(
        "tools --set plugins.x=true --set plugins.y=true",
        "plugins require each other, and none can be the first to open: x -> y -> x",
        plugins={
            "x": plugin("yield", more=', requires=("y",)'),
            "y": plugin("yield", name="y", more=', requires=("x",)'),
        },
    ),
    row(
        "check c.toml",
        "c.toml: plugins require each other, and none can be the first to open: x -> y -> x",
        files={"c.toml": "[plugins.x]\n[plugins.y]"},
        plugins={
            "x": plugin("yield", more=', requires=("y",)'),
            "y": plugin("yield", name="y", more=', requires=("x",)'),
        },
    ),
    row(
        "tools --set plugins.x=true",
        ('in plugin "x", while it was opened: no acme_1.Config is provided: no plugin that is known here could'),
        plugins={"x": plugin("registry.require(Config)\nyield")},
    ),
    row(
        "tools --set plugins.x=true",
        'in plugin "x", while it was opened: plugin "x" says that it provides acme_1.Shop, and does not',
        plugins={"x": plugin("yield", more=", provides=(Shop,)")},
    ),
    row(
        "tools --set plugins.x=true",
        'in plugin "x", while it was opened: TypeError: plugin "x" provides int, which is no acme_1.Shop',
        plugins={"x": plugin("registry.provide(Shop, 3)\nyield")},
    ),
    row(
        "tools --set plugins.x=true",
        "in plugin \"x\", while it was opened: TypeError: a service is provided by its type, not by 'Shop'",
        plugins={"x": plugin("registry.provide('Shop', 3)\nyield")},
    ),
    row(
        "tools --set plugins.x=true",
        (
            'in plugin "x", while it was opened: acme_1.Shop is already provided by plugin "x"; plugin "x" '
            "cannot provide it, too"
        ),
        plugins={"x": plugin("with registry.provide(Shop, Shop()), registry.provide(Shop, Shop()):\n    yield")},
    ),
)
