let url = URL(filePath: "orders.annals")
